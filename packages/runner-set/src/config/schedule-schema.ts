// The windows of `scale.schedule`, and `scale.usualDemand`.
import * as z from 'zod'
import { weekdays } from '../model/schedule.ts'

const timeOfDay = z
  .string()
  .max(5)
  .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, 'the time must be from 00:00 to 23:59, in quotes')

const timeZone = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z][-+A-Za-z0-9_]*(\/[-+A-Za-z0-9_]+)*$/, 'the time zone must be a name such as Europe/Berlin or UTC')
  .default('UTC')

export const usualDemand = z
  .strictObject({
    max: z.int32().min(1).describe('At most so many runners are kept for it, busy ones included.'),
    timeZone: timeZone.describe('A name of the IANA time zone database. The hours of the week are those of its clock.'),
  })
  .describe(
    'Keeps as many runners ready as this hour of the week usually needed in the last four weeks. min holds in any case.',
  )

export const scheduleWindow = z.strictObject({
  name: z.string().min(1).max(63).optional().describe('The name under which the window is shown.'),
  timeZone: timeZone.describe(
    'A name of the IANA time zone database. The window follows the clock there, also in summer.',
  ),
  days: z
    .array(z.enum(weekdays))
    .min(1)
    .max(7)
    .default([...weekdays])
    .describe('The days on which the window begins.'),
  from: timeOfDay.describe('The time at which the window begins. Write it in quotes.'),
  to: timeOfDay.describe('The time at which the window ends. Up to from, that is on the next day.'),
  min: z.int32().min(0).describe('The number of idle runners within the window.'),
})
