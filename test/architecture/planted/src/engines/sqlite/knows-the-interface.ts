export { route } from '../../api/route.js';
