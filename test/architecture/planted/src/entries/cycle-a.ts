export * from './cycle-b.js';
