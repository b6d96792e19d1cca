export { command } from '../cli/command.js';
