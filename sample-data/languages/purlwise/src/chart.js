const SYMBOLS = { k: '│', p: '─', yo: '○', k2tog: '╱', p2tog: '╲' };

/** Draws so many stitches of one kind: `symbols.yo(3)`. */
export const symbols = {};

for (const [stitch, symbol] of Object.entries(SYMBOLS)) {
  symbols[stitch] = (count = 1) => symbol.repeat(count);
}

/**
 * Draws rows as they lie on the table, the last one on top.
 *
 * @param {import('./row.js').Row[]} rows
 */
export function chart(rows) {
  return rows
    .map((row) => row.stitches.map((it) => SYMBOLS[it]).join(''))
    .reverse()
    .join('\n');
}
