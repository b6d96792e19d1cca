import { Firefox, withoutFirefox } from '../fixtures/firefox.js';
import { testBrowserClientIn } from './other-browser.suite.js';

testBrowserClientIn({ name: 'Firefox', isMissing: withoutFirefox, start: () => Firefox.start() });
