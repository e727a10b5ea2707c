import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import parse, { PatternError } from '#src/pattern.js';

describe('parse', () => {
  it('reads stitches and their counts', () => {
    const row = parse('k2 p1 yo');
    assert.equal(String(row), 'k k p yo');
  });

  for (const [line, width] of [['', 0], ['*k1 p1* x4', 8], ['k3 *yo k2tog* x2 k3', 10]]) {
    it(`finds ${width} stitches in "${line}"`, () => {
      assert.equal(parse(line).width, width);
    });
  }

  it('says which word it cannot read', () => {
    assert.throws(
      () => parse('k2 q1'),
      (error) => error instanceof PatternError && error.message.includes('"q1"'),
    );
  });
});
