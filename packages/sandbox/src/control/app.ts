import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import type { CallLog } from '../api/calls.ts';
import { operationsOf } from '../api/operations.ts';
import { assetRoutes } from '../platform/asset.ts';
import type { Service } from '../service.ts';
import { Refusal, refusalOf, type Controlled, type Operation } from './operation.ts';
import { operations } from './operations.ts';
import { controlPage } from './page.ts';
import { stateRoutes } from './state.ts';

/** Maximum body size of a control request, in bytes. */
const MAX_BODY_BYTES = 65_536;

/**
 * Creates the control API and its page, for the developer on this machine and their tests.
 * @param token the control token, which the routes for the state require
 */
export function createControl(
  service: Service,
  calls: CallLog,
  environments: Controlled['environments'],
  token: string,
): Hono {
  const names = operationsOf(service).map(({ name }) => name);
  const controlled: Controlled = { ...service, calls, environments, operations: names };
  const app = new Hono();
  const limited = bodyLimit({ maxSize: MAX_BODY_BYTES });
  app.use(onlyFromThisMachine, (c, next) =>
    // A saved state can be of any size.
    c.req.path === '/state' ? next() : limited(c, next),
  );
  const page = controlPage({ operations: names });
  app.get('/', (c) => c.html(page, 200, headers));
  app.route('/assets', assetRoutes(assets));
  for (const operation of operations) {
    app.on(operation.method, operation.path, (c) => answer(c, operation, controlled));
  }
  app.route('/state', stateRoutes(service, token));
  app.notFound((c) => c.json({ error: 'There is nothing at this address.' }, 404));
  return app;
}

const assets = {
  '/control.js': 'control.js',
  '/sandbox.css': 'sandbox.css',
  '/mark.svg': 'mark.svg',
};
const headers = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
};

async function answer(c: Context, { input, run, status }: Operation, controlled: Controlled) {
  try {
    const given = input && (await readInput(c, input));
    return c.json((await run(controlled, given as never)) as object, status ?? 200);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return c.json({ error: refusal.message }, refusal.status);
  }
}

/** Reads the body of a POST, or the path and query parameters. @throws {Refusal} */
async function readInput(c: Context, schema: z.ZodType): Promise<unknown> {
  const isPost = c.req.method === 'POST';
  const given = isPost ? parse(await c.req.text()) : { ...c.req.query(), ...c.req.param() };
  const input = schema.safeParse(given);
  if (input.success) return input.data;
  throw new Refusal(z.prettifyError(input.error));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('the body is not valid JSON');
  }
}

/**
 * Rejects requests from web pages, which have a different Origin header or, after DNS rebinding, a
 * different Host header; requests from programs have neither.
 */
async function onlyFromThisMachine(c: Context, next: () => Promise<void>) {
  const host = `http://${c.req.header('host') ?? ''}`;
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (!url || !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) {
    return c.json({ error: 'Only for this machine: use 127.0.0.1 or localhost.' }, 403);
  }
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (foreign || (origin !== undefined && origin !== url.origin)) {
    return c.json({ error: 'Not for pages of another origin.' }, 403);
  }
  await next();
  return undefined;
}
