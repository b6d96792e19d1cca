export { noun } from '../entries/noun.js';
