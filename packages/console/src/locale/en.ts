import { exceptionTexts } from '@financing-checkout/contract/plain';
import { common } from './en/common.ts';
import { words } from './en/words.ts';
import { shell } from './en/shell.ts';
import { today } from './en/today.ts';
import { order } from './en/order.ts';
import { orders } from './en/orders.ts';
import { cases } from './en/cases.ts';
import { money } from './en/money.ts';
import { imports } from './en/imports.ts';
import { sync } from './en/sync.ts';
import { help } from './en/help.ts';
import { problems } from './en/problems.ts';

/** English texts. Every language has the same shape; a section belongs to one page. */
export const en = {
  common,
  words,
  exceptions: exceptionTexts('en'),
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

export type Texts = typeof en;
