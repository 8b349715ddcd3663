/** Recurring kinds of tasks: their shapes, the patterns they make, and what those are called. */
export { findPattern, type Member, type PastTask, type Pattern } from './find.js';
export { type Head, type Shape, shapeOf, type TaskText } from './shape.js';
