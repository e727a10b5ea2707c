import assert from 'node:assert/strict';
import { before, describe, it, mock } from 'node:test';

import { Gauge, Row } from '../src/index.js';
import { memoize } from '../src/memoize.js';
import { Needle } from '../src/needles.cjs';

describe('Swatch', () => {
  /** @type {Gauge} */
  let swatch;

  before(() => {
    swatch = new Gauge(20).knit(Row.of('k').repeat(40), Row.of('p').repeat(40));
  });

  it('eachRow tells the width in centimetres', () => {
    swatch.eachRow((row, centimetres) => {
      assert.equal(row.width, 40);
      assert.equal(centimetres, 20);
    });
  });

  it('shrinks when it gets wet', async () => {
    const washed = await swatch.wash();
    assert.equal(Math.round(washed.stitchesPer10cm), 21);
  });
});

describe('Needle', () => {
  it('millimetres of an imperial size', () => {
    const needle = new Needle('00');
    assert.equal(needle.millimetres(), 1.75);
  });
});

it('memoize asks for every yarn once', () => {
  const ask = mock.fn((yarn) => yarn.length);
  const remembered = memoize(ask);
  assert.deepEqual(['wool', 'wool', 'silk'].map(remembered), [4, 4, 4]);
  assert.equal(ask.mock.callCount(), 2);
});
