import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';

/**
 * Parses the fields of a posted form.
 * @throws {HTTPException} 400 if the body is not a form, 413 if it is too large
 */
export async function readForm(c: Context): Promise<Record<string, unknown>> {
  try {
    return await c.req.parseBody();
  } catch (cause) {
    if (cause instanceof HTTPException || !(cause instanceof TypeError)) throw cause;
    throw new HTTPException(400, { message: 'The form could not be read.', cause });
  }
}
