import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createMiddleware } from 'hono/factory';

/**
 * Accepts the token as a bearer token, or as the password in the browser's own prompt with any user
 * name, so that staff need only a browser.
 */
export function access(token: string) {
  const expected = digest(token);
  return createMiddleware(async function access(c, next) {
    const given = credential(c.req.header('authorization') ?? '');
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      c.header('www-authenticate', 'Basic realm="Back office", charset="UTF-8"');
      return c.text('The back office needs its token: as password, with any user name.', 401);
    }
    return next();
  });
}

function credential(authorization: string): string | undefined {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (/^bearer$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return undefined;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : pair.slice(colon + 1);
}

/** Hashes a token, because the constant-time comparison needs equal lengths. */
function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

/**
 * Creates one of the shop's secrets once, in a file next to the order store that only its owner can
 * read.
 * @returns the secret and its file
 */
export function keptSecret(database: string, name: string): { token: string; file: string } {
  const file = join(dirname(database), name);
  try {
    writeFileSync(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const token = readFileSync(file, 'utf8').trim();
  if (token.length < 16) throw new Error(`${file} holds no token: delete it and start again.`);
  return { token, file };
}
