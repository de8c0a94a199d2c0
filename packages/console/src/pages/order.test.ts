import { expect, it, vi } from 'vitest';
import './order.ts';

it('shows that its figures are updating, and refreshes automatically', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const asked: string[] = [];
  let updating = true;
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address);
    const explanation = { orderKey: 'order:A', merchantOrderId: 'A', currencies: [], cases: [] };
    return Promise.resolve(
      Response.json(
        address.endsWith('/charges')
          ? { charges: [] }
          : { ...explanation, timeline: [], ...(updating ? { updating } : {}) },
      ),
    );
  });
  const page = document.createElement('console-order');
  Object.assign(page, { parameter: 'order:A', session: { name: 'Ines', scopes: [] } });
  document.body.append(page);
  const note = () => page.querySelector('.order-head > p[role=status]')?.textContent.trim();
  await expect.poll(note).toMatch(/^Updating/);
  updating = false;
  const noteLater = () => {
    vi.advanceTimersByTime(2_000);
    return note();
  };
  await expect.poll(noteLater).toBeUndefined();
  // All cards are reloaded: the order and its charges.
  expect(asked.filter((address) => address.endsWith('/charges')).length).toBeGreaterThan(1);
});
