export { start } from './app/start.js';
