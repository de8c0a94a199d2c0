import type { Hono } from 'hono';
import type { Env } from './context.ts';

/** Tokens that are permitted alongside an OpenID provider. */
export const PROGRAM_TOKENS = [
  'reader read reader-token-000001',
  'worker cases,sync,imports,rebuild worker-token-000001',
].join('\n');
export const TOKENS = [PROGRAM_TOKENS, 'payer money payer-token-000001'].join('\n');

/** Headers that the console's page sends with a request that changes something. */
export const ofPage = {
  origin: 'http://localhost',
  'sec-fetch-site': 'same-origin',
  'financing-console': '1',
  'content-type': 'application/json',
};

type App = Pick<Hono<Env>, 'request'>;

/** Signs in as the console's page does. */
export async function signIn(app: App, name: string): Promise<{ cookie: string }> {
  const response = await app.request('/console/session', {
    method: 'POST',
    headers: ofPage,
    body: JSON.stringify({ token: `${name}-token-000001` }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return { cookie: cookieOf(response) };
}

/** Returns the cookie that a response sets, as a browser sends it. */
export function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

export async function codeOf(response: Response): Promise<[number, string | undefined]> {
  const text = await response.text();
  const body = text.startsWith('{') ? (JSON.parse(text) as { code?: string }) : {};
  return [response.status, body.code];
}
