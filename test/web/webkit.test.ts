import { WebKit, withoutWebKit } from '../fixtures/webkit.js';
import { testMainJobsIn } from './other-browser.suite.js';
import { testEngineIn } from './other-browser-engine.suite.js';

const tested = { name: 'WebKit', isMissing: withoutWebKit, start: () => WebKit.start(), isLimited: true };
testMainJobsIn(tested);
testEngineIn(tested);
