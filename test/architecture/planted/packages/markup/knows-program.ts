export { ground } from '../../src/kernel/ground.js';
