import type { Context } from 'hono';

/** The body as JSON; what is not JSON fails the schema like any other wrong value. */
export async function json(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text()) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** An answer that says what was wrong with a request. */
export function refuse(c: Context, error: string, status: 400 | 404 | 409 | 422 = 400) {
  return c.json({ error }, status);
}
