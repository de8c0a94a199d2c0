import { html, render } from 'lit';
import { userEvent } from 'vitest/browser';
import { beforeEach, expect, it } from 'vitest';
import { dateField } from './fields.ts';
import { lenderField, lendersMeant } from './lender-field.ts';

const set: string[] = [];
let changes = 0;

function mount(view: unknown): HTMLInputElement {
  const form = document.createElement('form');
  form.addEventListener('change', () => (changes += 1));
  form.addEventListener('submit', (event) => event.preventDefault());
  document.body.append(form);
  render(html`${view}<button type="button">Next</button>`, form);
  const input = form.querySelector('input');
  if (input === null) throw new Error('There is no field.');
  input.focus();
  return input;
}
beforeEach(() => {
  set.length = 0;
  changes = 0;
});

const problem = () => document.querySelector('.problem')?.textContent;
const dateOf = (value: string) => dateField('From', value, (date) => set.push(date));

it('sets a typed date once, when the user leaves the field', async () => {
  const input = mount(dateOf(''));
  await userEvent.keyboard('01112026');
  expect(input.value).toBe('2026-01-11');
  expect(set).toEqual([]);
  input.blur();
  expect(set).toEqual(['2026-01-11']);
  expect(changes).toBe(0);
});

it('sets a typed date with the enter key, also over another one', async () => {
  mount(dateOf('2025-03-04'));
  await userEvent.keyboard('01112026{Enter}');
  expect(set).toEqual(['2026-01-11']);
});

it('keeps the former date and states the problem if a typed one is incomplete or implausible', async () => {
  const input = mount(dateOf('2025-03-04'));
  await userEvent.keyboard('01110202{Enter}');
  expect(problem()).toBe('Enter a year from 2000 to 2100.');
  expect(input.getAttribute('aria-invalid')).toBe('true');
  await userEvent.keyboard('{Backspace}{Enter}');
  expect(problem()).toBe('This is no complete date.');
  expect(set).toEqual([]);
});

it('sets a date from the calendar at once', () => {
  const input = mount(dateOf(''));
  input.value = '2026-01-11';
  input.dispatchEvent(new Event('change', { bubbles: true }));
  expect(set).toEqual(['2026-01-11']);
});

const lenders = ['Meadow Bank', 'Meadow Credit', 'Northway Credit'];

it.each([
  ['north', ['Northway Credit']],
  ['MEADOW BANK', ['Meadow Bank']],
  ['credit', ['Meadow Credit', 'Northway Credit']],
  ['other', []],
])('finds the lenders that %s means', (typed, found) => {
  expect(lendersMeant(typed, lenders)).toEqual(found);
});

it('completes a fragment of one lender, and names several', async () => {
  const input = mount(lenderField('Lender', '', lenders, (lender) => set.push(lender)));
  await userEvent.keyboard('meadow{Enter}');
  input.blur();
  expect(problem()).toBe('Several lenders: Meadow Bank, Meadow Credit.');
  expect(set).toEqual([]);
  input.focus();
  input.select();
  await userEvent.keyboard('NORTH');
  input.blur();
  expect(set).toEqual(['Northway Credit']);
  expect(input.value).toBe('Northway Credit');
  expect(problem()).toBe('');
});
