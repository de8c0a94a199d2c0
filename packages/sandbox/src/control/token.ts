import { timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MiddlewareHandler } from 'hono';
import { digest, readOrCreateSecret } from '../environments/keys.ts';
import { SandboxError } from '../platform/problem.ts';

const fileIn = (dataDir: string) => join(dataDir, 'control-token');

/** Returns the control token of a data folder, which its first start creates. */
export function createControlToken(dataDir: string): string {
  return readOrCreateSecret(fileIn(dataDir), 0o600);
}

/**
 * Returns the control token of a data folder, for a program that the same user runs.
 * @throws {SandboxError} when no sandbox has been started there
 */
export function readControlToken(dataDir: string): string {
  const file = fileIn(dataDir);
  if (!existsSync(file)) {
    throw new SandboxError(
      `There is no control token in ${dataDir}: start the sandbox there once, or name its folder. (--data-dir)`,
    );
  }
  return readFileSync(file, 'utf8').trim();
}

/**
 * Refuses requests without the control token, because every user of this machine can reach the
 * control API. The token is sent as a bearer token or, in a browser, as the password that it asks
 * for.
 */
export function requireControlToken(token: string): MiddlewareHandler {
  const expected = digest(token);
  return async function requireControlToken(c, next) {
    if (!timingSafeEqual(digest(presented(c.req.header('authorization') ?? '')), expected)) {
      const error = 'This needs the control token, from the file control-token of the data folder.';
      return c.json({ error }, 401, {
        'WWW-Authenticate': 'Basic realm="control token of the sandbox"',
      });
    }
    await next();
    return undefined;
  };
}

function presented(authorization: string): string {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return scheme.toLowerCase() === 'bearer' ? value : '';
  return Buffer.from(value, 'base64')
    .toString()
    .replace(/^[^:]*:/, '');
}
