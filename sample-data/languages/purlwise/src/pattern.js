import { memoize } from './memoize.js';
import { Row } from './row.js';

/** What a pattern that cannot be read fails with. */
export class PatternError extends Error {
  constructor(word) {
    super(`cannot read "${word}"`);
    this.name = 'PatternError';
  }
}

/**
 * Reads a line such as `k2 *p1 yo* x3`.
 *
 * @param {string} line
 * @returns {Row}
 */
export function parsePattern(line) {
  const row = new Row();
  for (const [, group, times, word] of line.matchAll(/\*([^*]*)\*\s*x(\d+)|(\S+)/g)) {
    if (word === undefined) {
      row.stitches.push(...parsePattern(group).repeat(Number(times)).stitches);
    } else {
      addWord(row, word);
    }
  }
  return row;
}

function addWord(row, word) {
  if (word === 'yo' || word.endsWith('tog')) {
    row.add(word);
    return;
  }
  const [, stitch, count] = /^([kp])(\d+)$/.exec(word) ?? [];
  if (stitch === undefined) {
    throw new PatternError(word);
  }
  row.add(stitch, Number(count));
}

export default memoize(parsePattern);
