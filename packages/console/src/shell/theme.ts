export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const STORED = 'financing-console-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** Returns the chosen theme. */
export function theme(): Theme {
  const stored = localStorage.getItem(STORED);
  return themes.find((one) => one === stored) ?? 'auto';
}

/** Sets the theme and stores it in this browser. */
export function setTheme(chosen: Theme): void {
  localStorage.setItem(STORED, chosen);
  applyTheme();
}

/** Applies the chosen theme. With the system theme, also follows its changes. */
export function applyTheme(): void {
  const isDark = theme() === 'dark' || (theme() === 'auto' && dark.matches);
  document.documentElement.classList.toggle('wa-dark', isDark);
  document.documentElement.classList.toggle('wa-light', !isDark);
}

dark.addEventListener('change', applyTheme);
