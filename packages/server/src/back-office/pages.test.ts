import { createHash } from 'node:crypto';
import { problemSchema } from '@financing-checkout/contract/storefront';
import { describe, expect, it, test } from 'vitest';
import { createCompanion } from '../companion.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import { createCompanion as createApis } from '../companion.ts';

const REPORT = 'GET /v2/post-sale/fundings/report';
const WINDOW = 'from=2026-11-19T23:59:58.000Z&to=2026-11-20T23:59:59.999Z';
/** JSON that parsing and serializing would change. */
const PAGE =
  '{ "records":[{"transactionAmount":12.340000000000000001,"firstName":"Ada","a":1e2,"a":2}] }';

describe('pages of fundings', () => {
  it('are passed on byte for byte, with their environment', async () => {
    const companion = await createCompanion();
    companion.service.on(REPORT, { status: 200, text: PAGE });
    const { app, headers } = officeOf(companion);
    const answer = await app.request(`/fundings/pages?${WINDOW}&offset=995&limit=1000`, {
      headers,
    });
    expect(await answer.text()).toBe(PAGE);
    expect(answer.headers.get('financing-environment')).toBe('sandbox');
    expect(Object.fromEntries(companion.service.calls[0]?.query ?? [])).toEqual({
      fromDate: '2026-11-19T23:59:58.000Z',
      toDate: '2026-11-20T23:59:59.999Z',
      offset: '995',
      limit: '1000',
      showMissing: 'true',
    });
  });

  it('are sent again only if they differ from the page that the client has', async () => {
    const companion = await createCompanion();
    const { app, headers } = officeOf(companion);
    const ask = (known: string) => {
      companion.service.on(REPORT, { status: 200, text: PAGE });
      const tag = `"${createHash('sha256').update(known).digest('hex')}"`;
      return app.request(`/fundings/pages?${WINDOW}`, {
        headers: { ...headers, 'if-none-match': tag },
      });
    };
    const same = await ask(PAGE);
    expect([same.status, await same.text()]).toEqual([304, '']);
    expect(same.headers.get('financing-environment')).toBe('sandbox');
    const other = await ask(PAGE.replace('Ada', 'Bea'));
    expect([other.status, await other.text()]).toEqual([200, PAGE]);
    expect(companion.service.calls).toHaveLength(2);
  });

  test.each([
    ['report', REPORT],
    ['records-v1', 'GET /v1/post-sale/fundings/records'],
    ['records-v2', 'GET /v2/post-sale/fundings/records'],
  ])('come from the operation %s', async (operation, route) => {
    const companion = await createCompanion();
    companion.service.on(route, { status: 200, text: PAGE });
    const { app, headers } = officeOf(companion);
    const path = `/fundings/pages?${WINDOW}&operation=${operation}`;
    expect(await (await app.request(path, { headers })).text()).toBe(PAGE);
  });

  test.each([
    ['from=2026-11-19', 'to'],
    [`${WINDOW}&limit=20001`, 'limit'],
  ])('names the invalid parameter in %s', async (query, path) => {
    const { app, headers } = officeOf(await createCompanion());
    const answer = await app.request(`/fundings/pages?${query}`, { headers });
    expect(answer.status).toBe(400);
    expect(problemSchema.parse(await answer.json()).errors?.[0]?.path).toBe(path);
  });

  it('reports the reason when the service fails', async () => {
    const companion = await createCompanion();
    companion.service.on(REPORT, { status: 400, body: {} });
    const { app, headers } = officeOf(companion);
    const answer = await app.request(`/fundings/pages?${WINDOW}`, { headers });
    expect(answer.status).toBe(502);
    expect(problemSchema.parse(await answer.json())).toMatchObject({
      code: 'service-rejected',
      detail: 'The service answered 400.',
    });
  });
});

function officeOf(companion: Awaited<ReturnType<typeof createCompanion>>) {
  const secret = 'token-of-reconciliation-0123456789';
  const app = createApis({
    ...companion.options,
    backOfficeTokens: [{ name: 'reconcile', scopes: ['fundings'], secret: new Secret(secret) }],
  }).backOffice;
  return { app, headers: { authorization: `Bearer ${secret}` } };
}
