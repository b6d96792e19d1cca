export * from './cycle-a.js';
