import { userEvent } from 'vitest/browser';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import '../styles/base.css';
import './search.ts';

const matches = [
  { kind: 'order', value: 'A-1', orderKey: 'order:A-1', merchantOrderId: 'A-1' },
  { kind: 'charge', value: 'ch_A-2', orderKey: 'order:A-2', merchantOrderId: 'A-2' },
  { kind: 'application', value: 'app_3', orderKey: 'order:A/3' },
];
const start = location.href;
const asked: string[] = [];
let answer: () => Response | Promise<Response>;

beforeEach(() => {
  asked.length = 0;
  answer = () => Response.json({ matches });
  vi.spyOn(globalThis, 'fetch').mockImplementation((address) => {
    asked.push(address as string);
    return Promise.resolve(answer());
  });
  document.body.append(document.createElement('console-search'));
});
afterEach(() => {
  vi.restoreAllMocks();
  document.body.replaceChildren();
  history.replaceState(null, '', start);
});

const box = () => document.querySelector('input');
const options = () => [...document.querySelectorAll('[role=option]:not([aria-disabled])')];
const active = () =>
  document.getElementById(box()?.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '';

async function type(text: string): Promise<void> {
  await expect.poll(box).not.toBeNull();
  box()?.focus();
  await userEvent.keyboard(text);
}

it('searches once, after the user has paused', async () => {
  await type('A-1');
  await expect.poll(options).toHaveLength(3);
  expect(asked).toEqual(['/search?q=A-1']);
  expect(box()?.getAttribute('aria-expanded')).toBe('true');
});

it('moves through the matches with the arrow keys, and wraps around', async () => {
  await type('A');
  await expect.poll(options).toHaveLength(3);
  expect(active()).toContain('A-1');
  await userEvent.keyboard('{ArrowDown}');
  await expect.poll(active).toContain('ch_A-2');
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  await expect.poll(active).toContain('A-1');
  await userEvent.keyboard('{ArrowUp}');
  await expect.poll(active).toContain('app_3');
  expect(options().filter((one) => one.getAttribute('aria-selected') === 'true')).toHaveLength(1);
});

it('opens the order of the active match with the enter key', async () => {
  await type('A');
  await expect.poll(options).toHaveLength(3);
  await userEvent.keyboard('{ArrowUp}');
  await expect.poll(active).toContain('app_3');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => location.pathname).toBe('/console/orders/order%3AA%2F3');
  await expect.poll(() => box()?.getAttribute('aria-expanded')).toBe('false');
  expect(box()?.value).toBe('');
});

it('closes its matches with the escape key', async () => {
  await type('A');
  await expect.poll(options).toHaveLength(3);
  await userEvent.keyboard('{Escape}');
  await expect.poll(() => box()?.getAttribute('aria-expanded')).toBe('false');
  expect(location.href).toBe(start);
});

it('shows that nothing was found, or why the search failed', async () => {
  answer = () => Response.json({ matches: [] });
  await type('zzz');
  const list = () => document.querySelector('[role=listbox]')?.textContent;
  await expect.poll(list).toContain('No order');
  answer = () => Response.error();
  await userEvent.keyboard('y');
  await expect.poll(list).toContain('No order');
  answer = () => Promise.reject(new TypeError('Failed to fetch'));
  await userEvent.keyboard('x');
  await expect.poll(list).toContain('The server cannot be reached');
});
