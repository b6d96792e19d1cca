import { WebKit, withoutWebKit } from '../fixtures/webkit.js';
import { testBrowserClientIn } from './other-browser.suite.js';

testBrowserClientIn({ name: 'WebKit', isMissing: withoutWebKit, start: () => WebKit.start() });
