/* Runs for each test file. The page's state is in a separate module that all files share. */
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { stopClock } from './clock.fixture.ts';
import { keepLastingState, resetPage } from './page.fixture.ts';

beforeAll(keepLastingState);
beforeEach(stopClock);
afterEach(resetPage);
