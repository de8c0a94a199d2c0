/* Sign-in to the console through an OpenID provider, in Chromium. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readConfiguration, serve } from '../../packages/reconciliation/dist/index.js';
import { root } from '../../scripts/paths.ts';
import { patient, type Browser } from './harness.ts';

/** The parts of the provider of reconciliation's own tests that this file uses. */
interface Provider {
  issuer: string;
  people: Map<string, { name: string; roles: string[] }>;
  next: string | undefined;
  sign(claims: object, typ: string): Promise<string>;
  stop(): Promise<void>;
}
const { startProvider } = (await import(
  join(root, 'packages/reconciliation/src/sign-in/provider.fixture.ts')
)) as { startProvider: (consoleUrl: string) => Promise<Provider> };

const folder = mkdtempSync(join(tmpdir(), 'financing-sign-in-'));
let url = '';
let browser: Browser;
let provider: Provider;
let program: Awaited<ReturnType<typeof serve>>;

/** Returns a port that no program uses. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

beforeAll(async () => {
  browser = patient(await chromium.connect(inject('browser')));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  provider = await startProvider(url);
  const variables = {
    RECONCILIATION_ENVIRONMENT: 'sandbox',
    RECONCILIATION_STORE: `sqlite:${join(folder, 'reconciliation.db')}`,
    RECONCILIATION_COMPANION_URL: 'http://127.0.0.1:9',
    RECONCILIATION_PORT: String(port),
    RECONCILIATION_URL: url,
    RECONCILIATION_OIDC_ISSUER: provider.issuer,
    RECONCILIATION_OIDC_CLIENT_ID: 'reconciliation',
    RECONCILIATION_OIDC_CLIENT_SECRET: 'planted-client-secret-0001',
    RECONCILIATION_OIDC_LABEL: 'Example ID',
    RECONCILIATION_OIDC_ROLES_CLAIM: 'realm_access.roles',
    RECONCILIATION_OIDC_ROLES: 'finance cases,periods',
    LOG_LEVEL: 'error',
  };
  program = await serve(readConfiguration(variables, () => ''));
});
afterAll(async () => {
  await browser.close();
  await program.stop();
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

const contextIn = (locale: string) =>
  browser.newContext({ locale, ignoreHTTPSErrors: true, viewport: { width: 1280, height: 900 } });

test('a person signs in, continues after the provider has ended the session, and signs out', async () => {
  provider.people.set('subject-ada', { name: 'Ada Lovelace', roles: ['finance'] });
  provider.next = 'subject-ada';
  const context = await contextIn('en-US');
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    const isExpected = /status of (?:401|404|503)/.test(message.text());
    if (message.type() === 'error' && !isExpected) complaints.push(message.text());
  });
  await page.goto(`${url}/console/cases?state=open`);
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click();
  await page.getByTitle('Signed in as Ada Lovelace').waitFor();
  expect(page.url()).toBe(`${url}/console/cases?state=open`);
  const cookies = (await context.cookies(url)).filter(({ name }) => name.startsWith('financing'));
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict', path: '/' }]);

  const token = await provider.sign(
    {
      sub: 'subject-ada',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    },
    'logout+jwt',
  );
  const body = new URLSearchParams({ logout_token: token });
  const logout = await fetch(`${url}/console/sign-in/back-channel-logout`, {
    method: 'POST',
    body,
  });
  expect(logout.status).toBe(200);
  // Without the mouse, because the dialog covers the link if another request finds out first.
  await page.getByRole('link', { name: 'Trail' }).dispatchEvent('click');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Your session has ended').waitFor();
  const opened = context.waitForEvent('page');
  await dialog.getByRole('link', { name: 'Sign in with Example ID' }).click();
  const tab = await opened;
  await tab.getByTitle('Signed in as Ada Lovelace').waitFor();
  await tab.close();
  await page.bringToFront();
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Sign in to reconciliation' }).waitFor();
  expect(page.url()).toMatch(`${url}/console/`);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a person without a role reads why, in German', async () => {
  provider.people.set('subject-bob', { name: 'Bob Example', roles: ['other'] });
  provider.next = 'subject-bob';
  const context = await contextIn('de-DE');
  const page = await context.newPage();
  await page.goto(`${url}/console/`);
  await page.getByRole('link', { name: 'Mit Example ID anmelden' }).click();
  const alert = page.getByRole('alert').filter({ hasText: /keine Rolle/ });
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(/Kennung für Ihre Administration: req_[\w-]+/);
  expect(page.url()).toBe(`${url}/console/`);
  await context.close();
});
