import { ground } from '../kernel/ground.js';

export const noun = ground;
