import { afterEach, expect } from 'vitest';
import { countExposed, written } from './secrecy.fixture.ts';

// Runs after every test of the package: no log line and no response of any companion contains the
// private key (`keys.test.ts` holds the control), each response is one that its route declares
// (`laws.test.ts` holds the control), and each route calls the service with the priorities that it
// declares (`storefront/terms.test.ts` does).
afterEach(() => {
  for (const { log, answers, undeclaredAnswers, unstatedPriorities } of written.splice(0)) {
    expect(countExposed(log.map((line) => JSON.stringify(line)))).toBe(0);
    expect(countExposed(answers)).toBe(0);
    expect(undeclaredAnswers).toEqual([]);
    expect(unstatedPriorities()).toEqual([]);
  }
});
