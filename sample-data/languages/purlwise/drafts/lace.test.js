import assert from 'node:assert/strict';
import { it } from 'node:test';

import parse from '../src/pattern.js';
import type { Row } from '../src/row.js';

// Begun with the types of a compiler that was then not chosen; node does not take them.
it('parse keeps yarn overs', () => {
  const row: Row = parse('k1 yo k1');
  assert.equal(row.stitches[1], 'yo');
});
