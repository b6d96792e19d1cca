export { fixture } from '../../test/fixture.js';
