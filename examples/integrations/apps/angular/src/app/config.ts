import type { ApplicationConfig } from '@angular/core';
import { provideClientHydration } from '@angular/platform-browser';

export const browserConfig: ApplicationConfig = { providers: [provideClientHydration()] };
