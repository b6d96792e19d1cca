import { Firefox, withoutFirefox } from '../fixtures/firefox.js';
import { testMainJobsIn } from './other-browser.suite.js';
import { testEngineIn } from './other-browser-engine.suite.js';

const tested = { name: 'Firefox', isMissing: withoutFirefox, start: () => Firefox.start(), isLimited: false };
testMainJobsIn(tested);
testEngineIn(tested);
