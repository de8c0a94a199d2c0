import { describe, expect, it, test } from 'vitest';
import { problemCodes, problems, problemSchema, problemType } from './problem.ts';

describe('problems (RFC 9457)', () => {
  test.each(problemCodes)('%s has its own status, title and type', (code) => {
    const { status, title } = problems[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).toMatch(/^[A-Z].*[^.\s]$/);
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    // RFC 8141: a URN, because it is not the URL of a page.
    expect(problemType(code)).toMatch(/^urn:financing-checkout:problem:[a-z-]+$/);
    expect(new URL(problemType(code)).href).toBe(problemType(code));

    const type = problemType(code);
    const problem = { type, code, title, status, requestId: 'req-1', retrySafe: false };
    expect(problemSchema.parse(problem)).toEqual(problem);
  });

  it('have the address of their page as type where the documentation has an address', () => {
    for (const docsUrl of [
      'https://docs.shop.example/financing',
      'https://docs.shop.example/financing/',
    ]) {
      expect(problemType('overloaded', docsUrl)).toBe(
        'https://docs.shop.example/financing/errors/overloaded',
      );
    }
  });

  it('are distinguished by type and by title', () => {
    expect(new Set(problemCodes.map((code) => problemType(code))).size).toBe(problemCodes.length);
    expect(new Set(problemCodes.map((code) => problems[code].title)).size).toBe(
      problemCodes.length,
    );
  });

  it('drop unknown members and reject unknown codes', () => {
    const problem = {
      type: 'urn:financing-checkout:problem:internal',
      title: 'Something went wrong here',
      status: 500,
      requestId: 'req-1',
      retrySafe: true,
    };
    expect(problemSchema.safeParse({ ...problem, code: 'internal', more: 1 }).data).toEqual({
      ...problem,
      code: 'internal',
    });
    expect(problemSchema.safeParse({ ...problem, code: 'toString' }).success).toBe(false);
    expect(problemSchema.safeParse({ ...problem }).success).toBe(false);
  });
});
