import { exceptionCodes, exceptions } from '@financing-checkout/contract/reconciliation';
import type { Page } from '../markdown.ts';

const words = {
  en: {
    title: 'Exceptions',
    intro:
      'What reconciliation finds, most severe first: the first exception of an order is its headline. Each has a case to work on. From the register that API, command line and console use.',
    due: (days: number) =>
      `Its case is due after ${days} ${days === 1 ? 'day' : 'days'}, unless the policy states others.`,
    todo: 'What to do',
    withoutOrder: 'Without an order',
  },
  de: {
    title: 'Abweichungen',
    intro:
      'Was die Abstimmung findet, das Schwerste zuerst: Die erste Abweichung einer Bestellung ist ihre Hauptsache. Zu jeder gibt es einen Fall, an dem gearbeitet wird. Aus dem Verzeichnis, das API, Kommandozeile und Konsole verwenden.',
    due: (days: number) =>
      `Der Fall ist nach ${days} ${days === 1 ? 'Tag' : 'Tagen'} fällig, wenn die Richtlinie nichts anderes sagt.`,
    todo: 'Was zu tun ist',
    withoutOrder: 'Ohne Bestellung',
  },
};

function exceptionsPage(language: 'en' | 'de'): Page {
  const { due, intro, title, todo, withoutOrder } = words[language];
  const sections = exceptionCodes.map((code) => {
    const { caseDays, [language]: texts } = exceptions[code];
    return [
      `## ${texts.name}`,
      `\`${code}\`. ${texts.meaning}`,
      `**${todo}:** ${texts.todo}`,
      'todoWithoutOrder' in texts ? `**${withoutOrder}:** ${texts.todoWithoutOrder}` : '',
      due(caseDays),
    ]
      .filter(Boolean)
      .join('\n\n');
  });
  const id = 'finance/exceptions';
  return {
    id: language === 'de' ? `de/${id}` : id,
    markdown: `# ${title}\n\n${intro}\n\n${sections.join('\n\n')}\n`,
  };
}

/** Returns the exception pages, in English and German. */
export const exceptionPages = (): Page[] => [exceptionsPage('en'), exceptionsPage('de')];
