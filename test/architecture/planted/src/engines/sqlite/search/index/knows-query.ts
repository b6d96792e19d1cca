export { ask } from '../query/ask.js';
