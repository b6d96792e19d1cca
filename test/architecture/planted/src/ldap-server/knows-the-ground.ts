export { ground } from '../kernel/ground.js';
