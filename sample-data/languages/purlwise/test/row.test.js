import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';

import { Row } from 'purlwise';

describe('Row', () => {
  let row;

  beforeEach(() => {
    row = Row.of('k', 'k', 'p');
  });

  it('has the width of its stitches', () => {
    row.add('yo', 2);
    assert.equal(row.width, 5);
  });

  it('mirrored is what the other side shows', () => {
    const back = row.mirrored();
    assert.deepEqual(back.stitches, ['k', 'p', 'p']);
  });

  describe('repeat()', () => {
    it('leaves the row alone', () => {
      const scarf = row.repeat(4);
      assert.equal(scarf.width, 12);
      assert.equal(row.width, 3);
    });
  });

  describe('add()', () => {
    it('refuses what nobody can work', () => {
      assert.throws(() => row.add('bobble'), RangeError);
    });

    it.skip('takes stitches back', () => {
      row.add('k', -1);
      assert.equal(row.width, 2);
    });
  });
});
