// `npm run test:recipes`: follows recipes of CONTRIBUTING.md in a copy, and runs what they name.
import { testProject } from './project.ts';

testProject('recipes');
