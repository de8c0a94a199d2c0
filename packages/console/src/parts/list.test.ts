import { html } from 'lit';
import { beforeEach, expect, it, vi } from 'vitest';
import base from '../styles/base.css?inline';
import parts from '../styles/parts.css?inline';
import { send } from '../api/client.ts';
import { useStyles } from '../styles.fixture.ts';
import { LightElement } from './element.ts';
import { PagedList } from './list.ts';
import { navigate } from './navigation.ts';

useStyles(base, parts);

interface Row {
  id: string;
}
class ListHost extends LightElement {
  readonly list = new PagedList<Row>(this, '/rows', 'rows');
  protected override render() {
    const columns = [{ head: 'ID', cell: ({ id }: Row) => html`<b>${id}</b>` }];
    return this.list.view({ label: 'Rows', columns, empty: 'None' });
  }
}
customElements.define('list-host', ListHost);

const asked: string[] = [];
function serve(): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const address = new URL(input as string, location.href);
    asked.push(address.search);
    if (address.searchParams.get('currency') === 'XX')
      return Promise.resolve(Response.json({ code: 'invalid-request' }, { status: 400 }));
    const first = Number(address.searchParams.get('after') ?? 0);
    const rows = Array.from({ length: 200 }, (_, index) => ({ id: `R-${first + index}` }));
    return Promise.resolve(Response.json({ rows, next: String(first + 200) }));
  });
}
beforeEach(() => {
  asked.length = 0;
});

async function mounted(query: Record<string, string>): Promise<ListHost> {
  const host = document.createElement('list-host') as ListHost;
  document.body.replaceChildren(host);
  await host.list.start(query);
  return host;
}
const area = () => document.querySelector('.scroll');
const shown = () => [...document.querySelectorAll('b')].map(({ textContent }) => textContent);

it('shows the loaded rows and the scroll position again after Back', async () => {
  serve();
  history.replaceState(null, '', '/console/orders?currency=USD');
  const host = await mounted({ currency: 'USD' });
  for (let page = 2; page <= 7; page += 1) {
    await host.updateComplete;
    area()?.scrollTo(0, area()?.scrollHeight ?? 0);
    await expect.poll(() => host.list.rows.length).toBeGreaterThanOrEqual(200 * page);
  }
  area()?.scrollTo(0, 44 * 1_000);
  await expect.poll(shown).toContain('R-1003');
  const requests = asked.length;
  navigate('/console/orders/order%3AR-1003');
  document.body.replaceChildren();
  history.back();
  await expect.poll(() => location.search).toBe('?currency=USD');
  const again = await mounted({ currency: 'USD' });
  expect(again.list.rows.length).toBeGreaterThanOrEqual(1_400);
  await expect.poll(shown).toContain('R-1003');
  expect(area()?.scrollTop).toBe(44 * 1_000);
  expect(asked).toHaveLength(requests);
});

it('loads a list anew after Back if this window has changed something', async () => {
  serve();
  history.replaceState(null, '', '/console/orders?currency=EUR');
  await mounted({ currency: 'EUR' });
  navigate('/console/orders/order%3AR-1');
  document.body.replaceChildren();
  await send('/cases/1/note', { method: 'POST', body: {} });
  history.back();
  await expect.poll(() => location.search).toBe('?currency=EUR');
  const requests = asked.length;
  await mounted({ currency: 'EUR' });
  expect(asked.length).toBeGreaterThan(requests);
});

it('loads a list anew in another history entry', async () => {
  serve();
  await mounted({ currency: 'USD' });
  navigate('/console/orders?currency=USD');
  await mounted({ currency: 'USD' });
  expect(asked.length).toBeGreaterThanOrEqual(2);
});

it('shows no rows of another filter if the server refuses the filter', async () => {
  serve();
  const host = await mounted({ currency: 'USD' });
  await expect.poll(shown).toContain('R-0');
  navigate('/console/orders?currency=XX');
  await host.list.start({ currency: 'XX' });
  await expect.poll(() => document.querySelector('[role=alert]')).not.toBeNull();
  expect(shown()).toEqual([]);
});

it('loads all rows that match before it prints, up to a limit', async () => {
  serve();
  const printed = vi.spyOn(globalThis, 'print').mockReturnValue();
  const host = await mounted({});
  await host.updateComplete;
  const button = [...host.querySelectorAll('button')].find(
    ({ textContent }) => textContent.trim() === 'Print',
  );
  button?.click();
  await expect.poll(() => printed.mock.calls.length).toBe(1);
  expect(host.list.rows).toHaveLength(5_000);
  expect(host.querySelector('.paper-only')?.textContent).toContain(
    'These are the first 5,000 rows.',
  );
});

it('loads the rest when the user prints by keyboard', async () => {
  serve();
  const printed = vi.spyOn(globalThis, 'print').mockReturnValue();
  const host = await mounted({});
  const event = new KeyboardEvent('keydown', { key: 'p', ctrlKey: true, cancelable: true });
  expect(dispatchEvent(event)).toBe(false);
  await expect.poll(() => printed.mock.calls.length).toBe(1);
  expect(host.list.rows).toHaveLength(5_000);
});

it('prints a page of two lists once, with the rows of both', async () => {
  serve();
  const printed = vi.spyOn(globalThis, 'print').mockReturnValue();
  const first = await mounted({});
  const second = document.createElement('list-host') as ListHost;
  document.body.append(second);
  await second.list.start({ currency: 'EUR' });
  dispatchEvent(new KeyboardEvent('keydown', { key: 'p', ctrlKey: true, cancelable: true }));
  await expect.poll(() => printed.mock.calls.length).toBeGreaterThan(0);
  expect([first.list.rows.length, second.list.rows.length]).toEqual([5_000, 5_000]);
  await first.updateComplete;
  expect(printed).toHaveBeenCalledOnce();
});
