import type { BrowserContextOptions, Page } from 'playwright';
import { ask } from '../../scripts/history/ask.ts';
import { type Browser, type FreshStack, freshStack, launchBrowser } from './harness.ts';

/** A console on a stack of its own: the service has a seeded month, and reconciliation has nothing yet. */
export class Console {
  /** Browser messages that no page may cause. */
  readonly complaints: string[] = [];
  /** Requests that left the console's origin. */
  readonly foreign: string[] = [];
  readonly stack: FreshStack;
  readonly #browser: Browser;

  private constructor(stack: FreshStack, browser: Browser) {
    this.stack = stack;
    this.#browser = browser;
  }

  static async start(): Promise<Console> {
    return new Console(await freshStack({ month: true }), await launchBrowser());
  }

  /**
   * Stops the browser and the stack, and fails when an answer of the sandbox differed from the
   * published contract.
   */
  async stop(): Promise<void> {
    await this.#browser.close();
    await this.stack.remove();
  }

  /** Signs in, in a browser context of its own. */
  async enter(token: string, options: BrowserContextOptions = {}): Promise<Page> {
    const viewport = { width: 1280, height: 900 };
    const context = await this.#browser.newContext({
      viewport,
      locale: 'en-US',
      reducedMotion: 'reduce',
      ...options,
    });
    const page = await context.newPage();
    page.on('console', (message) => {
      const isExpected = /status of (?:401|404|503)|net::ERR_/.test(message.text());
      if (message.type() === 'error' && !isExpected) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      const isOwn = origin === this.stack.reconciliation;
      if (protocol.startsWith('http') && !isOwn) this.foreign.push(request.url());
    });
    await page.goto(`${this.stack.reconciliation}/console/`);
    await page.getByLabel('Access token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    return page;
  }

  /** Sends a request to reconciliation with all rights. */
  ask<Body>(path: string, body?: object): Promise<Body> {
    const token = this.stack.secrets.annaToken;
    const headers = { 'idempotency-key': crypto.randomUUID() };
    return ask<Body>(this.stack.reconciliation + path, { token, ...(body && { body, headers }) });
  }
}
