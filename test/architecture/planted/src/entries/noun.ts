import { leaf } from '../kernel/leaf.js';

export const noun = leaf;
