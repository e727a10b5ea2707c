import assert from 'node:assert/strict';
import test from 'node:test';

import { Row, chart, symbols } from '../src/index.js';

function draws(stitch, expected) {
  assert.equal(symbols[stitch](expected.length), expected);
}

test('chart has the last row on top', () => {
  const ribbing = Row.of('k', 'k', 'p');
  const drawing = chart([ribbing, ribbing.mirrored()]);
  assert.equal(drawing, '│──\n││─');
});

test('symbols.yo draws holes', () => {
  const holes = symbols.yo(3);
  assert.equal(holes, '○○○');
});

test('every decrease leans to its own side', async (t) => {
  await t.test('to the right', () => draws('k2tog', '╱╱'));
  await t.test('to the left', () => draws('p2tog', '╲╲'));
});
