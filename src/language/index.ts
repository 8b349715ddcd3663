/** Reading what people say: the time of a request, once per message. Pure, and without a model. */
export { type ClockTime, type Duration, hourOf } from './clock.js';
export { LANGUAGES, readOtherLanguage } from './other-languages.js';
export { readPastTime } from './past.js';
export {
  asksForNothing,
  asksForSomething,
  type RequestReading,
  readRequest,
  readTimeAlone,
} from './request.js';
export {
  type Bound,
  type DayRef,
  isRecurring,
  isSubDaily,
  type MonthDay,
  type Nth,
  type ScheduleFields,
  WEEKDAY_OF_DATE,
} from './schedule-fields.js';
export { type DayPart, MONTH_NAMES, PART_HOUR, type Unit, WEEKDAY_NAMES } from './words.js';
export { timezoneOfWords } from './zones.js';
