namespace Larderbook;

/// <content>How recipes are written down.</content>
public partial class Recipe
{
    public string Describe()
    {
        return Name + ": " + string.Join(", ", ingredients.Select(DescribeOne));
    }

    private static string DescribeOne(KeyValuePair<string, Weight> ingredient)
    {
        return ingredient.Value + " " + ingredient.Key;
    }
}
