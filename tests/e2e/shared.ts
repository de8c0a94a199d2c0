/* Starts one stack and one browser, which the test files share: both take seconds to start. */
import { sdkIntegrity } from '../../packages/sandbox/dist/index.js';
import { chromium } from 'playwright';
import type { TestProject } from 'vitest/node';
import { chromiumArgs, findChromium } from '../../scripts/chromium.ts';
import { freshStack, type FreshStack } from './harness.ts';

/** The addresses, keys and files of the shared stack. A test cannot stop its programs. */
export type SharedStack = Omit<FreshStack, 'programs' | 'restart' | 'stop' | 'remove'>;

declare module 'vitest' {
  export interface ProvidedContext {
    stack: SharedStack;
    /** Address at which Playwright connects to the shared browser. */
    browser: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await freshStack({
    companionEnv: { FINANCING_SDK_INTEGRITY: sdkIntegrity, COMPANION_RATE_LIMIT_PER_ADDRESS: '0' },
  });
  const browser = await chromium.launchServer({
    executablePath: findChromium(),
    args: chromiumArgs(),
  });
  const { dataDir, answersFile, secrets } = stack;
  const { shop, companion, backOffice, reconciliation, sandboxApi, hosted, control } = stack;
  project.provide('stack', {
    dataDir,
    answersFile,
    secrets,
    shop,
    companion,
    backOffice,
    reconciliation,
    sandboxApi,
    hosted,
    control,
  });
  project.provide('browser', browser.wsEndpoint());
  return async () => {
    await browser.close();
    await stack.remove();
  };
}
