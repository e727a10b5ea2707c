export { default as parse, PatternError } from './pattern.js';
export { Row } from './row.js';
export { Swatch as Gauge } from './swatch.js';
export * from './chart.js';
