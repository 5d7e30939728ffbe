"""Recipes as people paste them, written for these tests."""

HEADED = """\
# Weekday Banana Pancakes

Serves 4 | Prep time: 10 min | Cook time: 15 min

Ingredients:
- 2 cups flour
- 1 1/2 tsp. salt
- ½ cup sugar
- 200 g butter, softened
- 3-4 ripe bananas
- 2 large eggs
- A pinch of nutmeg (optional)

Method:
1. Mash the bananas with a fork.
2. Whisk in the eggs, then stir in the flour, sugar and salt.
3. Fry in butter over medium heat for 2-3 minutes on each side.
"""

PARTS = """\
Tomato Lasagne

A dish for a cold evening. Makes 6 portions.

INGREDIENTS

For the sauce:
2 x 400g tins chopped tomatoes
3\u20134 cloves garlic, crushed
1 tbsp. olive oil, plus extra for greasing
Salt and pepper to taste

For the white sauce
50g/2oz butter
600 ml milk
12 lasagne sheets

DIRECTIONS

Preheat the oven to 180°C/160°C fan/gas mark 4.

Soften the garlic in the oil, add the tomatoes and simmer for half an hour.
Melt the butter, whisk in the milk and cook until thick.
Layer everything in a dish and bake for 40\u201345 minutes. Leave to rest for 10 minutes.

Notes
Keeps for 3 days in the fridge. Add 2 cups of spinach if you like.
"""

WEBSITE = """\
Slow Beef Stew
Prep Time
20 mins
Cook Time
2 hrs 30 mins
Total Time
2 hrs 50 mins
Servings
6

Ingredients
▢ 2 lbs. beef chuck, cut into cubes
▢ 1 (14 oz) can diced tomatoes
▢ 4 medium carrots
▢ 1 cup plus 2 tbsp beef stock
▢ 2 T flour
▢ fresh thyme

Instructions
Step 1
Heat oven to 325 degrees F.
Step 2
Brown the beef, about 8 minutes.
Add the flour and stir.
Step 3
Add everything else, cover and cook in the oven for 2 1/2 hours.

Nutrition Facts
Calories: 412
"""

BARE_LISTS = """\
Lemon drizzle cake

225g unsalted butter
225g caster sugar
4 eggs
zest of 1 lemon
225g self-raising flour

Beat the butter and sugar until pale.
Add the eggs one at a time, then fold in the flour and zest.
Bake at 180C for 45-50 minutes.
"""

ONE_LINE_LIST = """\
Recipe for: Quick Guacamole
Ingredients: 3 avocados, 1 lime, half an onion, finely chopped; a handful of coriander, salt
Directions: Mash the avocados with a fork. Squeeze in the lime, add the onion and 1 tsp. Salt goes in last. Serve now.
"""

PROSE = """\
My aunt never wrote it down, but it goes so. Rub 250 g of cold butter into 500 g plain flour with a pinch of salt. \
Beat 3 eggs and mix them in with 2 tablespoons of milk. Chill the dough for at least an hour, or overnight if you can. \
Roll it out, cut it and bake it at 200 °C until golden, which takes about 12 minutes. It is enough for 8 people.
"""

NAMES_FIRST = """\
**Overnight Oats**

**What you'll need**
* Rolled oats: 100 g
* Milk - 250 ml
* Chia seeds (2 tbsp)
* Honey

**Preparation**
* Stir everything together in a jar.
* Chill overnight.
* Top with fruit and serve.

**Yield:** 2 jars
"""

NUMBERED_INGREDIENTS = """\
Garlic Bread

Ingredients
1. 1 baguette
2. 1-1/2 sticks butter
3. 6 cloves of garlic
4. 2,5 dl grated cheese

Steps
1) Heat the grill to high
2) Mix butter, garlic and cheese; spread it
   on the halved baguette
3) Grill 5 to 6 minutes
"""

LOST_LINE_BREAKS = """\
Crepes for 2 people Ingredients: 125g flour, 2 eggs, 250ml milk, a pinch of salt Method: Whisk everything. Fry thinly.
"""

SHOPPING_ONLY = """\
500g minced beef
2 onions
1 tin of kidney beans
2 tsp cumin
"""

NO_RECIPES = {
    "empty": "",
    "blank": " \n\t\n ",
    "a letter": "Dear Tom,\n\nthank you for the 3 books. I read two of them in 20 minutes.\n\nYours, Ann",
    "a list of chores": "To do\n1. Call the bank\n2. Fix the bike\n3. Water 12 plants",
    "an address": "12 High Street\nSpringfield\n90210",
    "news": "Prices rose by 2 percent in May. The bank cut rates to 3.5 percent, and 400 people lost their jobs.",
    "sport": "He lost 20 kg over 3 months and ran for 30 minutes each day.",
    "code": "for i in range(10):\n    total += 2 * i\nprint(total)",
    "symbols": "!!! ??? ½ ½ ½ --- 1/0 0/0 ...",
}
