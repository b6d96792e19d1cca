export { page } from '../../web/page.js';
