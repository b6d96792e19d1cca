export { noun } from '../app.js';
