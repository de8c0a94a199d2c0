/* Runs for each test file. The page it resets is a module of its own, which the files share. */
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { stopClock } from './clock.fixture.ts';
import { keepLastingState, resetPage } from './page.fixture.ts';

beforeAll(keepLastingState);
beforeEach(stopClock);
afterEach(resetPage);
