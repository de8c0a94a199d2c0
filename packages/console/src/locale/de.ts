import { exceptionTexts } from '@financing-checkout/contract/plain';
import type { Texts } from './en.ts';
import { common } from './de/common.ts';
import { words } from './de/words.ts';
import { shell } from './de/shell.ts';
import { today } from './de/today.ts';
import { order } from './de/order.ts';
import { orders } from './de/orders.ts';
import { cases } from './de/cases.ts';
import { money } from './de/money.ts';
import { imports } from './de/imports.ts';
import { sync } from './de/sync.ts';
import { help } from './de/help.ts';
import { problems } from './de/problems.ts';

/** German texts: see `en.ts`. */
export const de: Texts = {
  common,
  words,
  exceptions: exceptionTexts('de'),
  shell,
  today,
  order,
  orders,
  cases,
  money,
  imports,
  sync,
  help,
  problems,
};
