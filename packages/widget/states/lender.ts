/*
 * A fake lender's page with three offers, which sends the frame messages. The page's URL contains
 * the action that it performs.
 */
import { formatMoney } from '../src/texts/money.ts';
import { amount } from './companion.ts';

const english = { title: 'Choose your plan', months: '{n} months', go: 'Confirm this plan' };
const words: Record<string, typeof english> = {
  de: { title: 'Wählen Sie Ihren Plan', months: '{n} Monate', go: 'Diesen Plan bestätigen' },
  ar: { title: 'اختر خطة السداد', months: '{n} شهرًا', go: 'تأكيد هذه الخطة' },
};

const query = new URLSearchParams(location.search);
const locale = query.get('locale') ?? 'en';
const { title, months, go } = words[locale] ?? english;
const language = words[locale] ? locale : 'en';
Object.assign(document.documentElement, { lang: language, dir: language === 'ar' ? 'rtl' : 'ltr' });

const put = (selector: string, text: string) => {
  const element = document.querySelector(selector);
  if (element) element.textContent = text;
};
put('h1', title);
put('button', go);
for (const count of [12, 18, 24]) {
  const offer = document.createElement('li');
  const length = document.createElement('b');
  length.textContent = months.replace('{n}', () => new Intl.NumberFormat(language).format(count));
  const rate = document.createElement('span');
  const value = Math.round(amount.value / count);
  rate.textContent = formatMoney({ ...amount, value }, language);
  offer.append(length, rate);
  document.querySelector('ul')?.append(offer);
}

function say(message: object): void {
  const session = query.get('session');
  const origin = query.get('origin') ?? location.origin;
  parent.postMessage({ protocol: 'financing-checkout', version: 1, session, ...message }, origin);
}

const does = query.get('does');
if (does !== 'mute') say({ type: 'ready' });
if (does === 'confirmed') say({ type: does, confirmationToken: 'token-1' });
else if (does === 'broken') {
  query.set('does', 'mute');
  addEventListener('load', () => location.replace(`?${query.toString()}`));
} else if (does === 'mute') document.body.textContent = '502 Bad Gateway';
else if (does !== 'nothing') say({ type: 'ended', reason: does });
