export { knowsEngine } from './detour.js';
